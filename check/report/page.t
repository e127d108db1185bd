#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The page of kvmeter report as a reader meets it, in a browser: nothing is
# fetched or run, everything is there, and it can be read by day and by night, on
# paper and on a phone. Then the same judgements of pages that are wrong.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../kvmeter";
use Browser;
use MadeUp;
use Test::More;

plan(skip_all => 'no browser: apt-get install chromium') if !Browser::find();
plan(skip_all => 'no gnuplot: apt-get install gnuplot-nox')
	if !grep { -x "$_/gnuplot" } split /:/, $ENV{PATH};

use constant PHONE => 375;     # CSS pixels
use constant TEXT_PIXELS => 10; # of a letter's size in a figure, at least
use constant TEXT_CONTRAST => 4.5; # WCAG 2.1, 1.4.3
use constant LINE_CONTRAST => 3;   # WCAG 2.1, 1.4.11

# Of the page that is open; names that begin with a lower case letter are faults.
my $judge = <<'JAVASCRIPT';
(() => {
	const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
	const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ?
		v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const contrast = (a, b) => {
		const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
		return (x + 0.05) / (y + 0.05);
	};
	const ground = e => {
		for (; e; e = e.parentElement) {
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c.length == 3 || c[3] > 0) return c;
		}
		return [255, 255, 255];
	};
	const said = e => e.textContent.trim().slice(0, 30);
	const all = [...document.body.querySelectorAll('*')];
	const own = e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim());
	const probe = document.createElement('i');
	document.body.append(probe);
	const variable = name => {
		probe.style.color = 'var(' + name + ')';
		return rgb(getComputedStyle(probe).color);
	};
	const series = [1, 2, 3, 4, 5, 6].map(i => '--c' + i)
		.map(name => [name, contrast(variable(name), ground(document.body))]);
	probe.remove();
	const faint = all.filter(own).map(e => [said(e), contrast(
		rgb(e.closest('svg') ? getComputedStyle(e).fill : getComputedStyle(e).color),
		ground(e))]);
	const small = [...document.querySelectorAll('svg.plot text')].map(e => [said(e),
		parseFloat(getComputedStyle(e).fontSize) * e.getCTM().a]);
	const wide = all.filter(e => !e.closest('.table > *') && !e.closest('svg.plot > *')
		&& !e.closest('.symbols')
		&& e.getBoundingClientRect().right > innerWidth + 1)
		.map(e => e.localName + ': ' + said(e));
	const ids = all.filter(e => e.id).map(e => e.id);
	return {
		scripts: document.scripts.length, foreign: all.filter(e =>
			/^(script|iframe|img|object|embed|link|form|input|video|audio|base)$/
			.test(e.localName)).length,
		handlers: all.filter(e => [...e.attributes].some(a => /^on/i.test(a.name))).length,
		twice: ids.filter((id, i) => ids.indexOf(id) != i),
		lost: [...document.querySelectorAll('[href]')].map(e => e.getAttribute('href'))
			.filter(h => !h.startsWith('#') || !ids.includes(h.slice(1))),
		width: document.documentElement.scrollWidth, wide, ids,
		faint: faint.filter(f => f[1] < 4.5), small: small.filter(s => s[1] < 10),
		pale: series.filter(s => s[1] < 3), texts: faint.length, letters: small.length,
		figures: [...document.querySelectorAll('svg.plot')].map(e =>
			[e.getAttribute('role'), e.getAttribute('aria-label') || '',
			 e.querySelectorAll('path, use, polygon').length]),
		tables: [...document.querySelectorAll('table')].filter(e => !e.caption
			|| !e.closest('.table[tabindex]') || !e.tHead).length,
		text: document.body.innerText,
		ground: ground(document.body).join(),
	};
})()
JAVASCRIPT

sub text_of {
	my ($path) = @_;

	open(my $in, '<', $path) or die "$path: $!\n";
	local $/;
	return scalar <$in>;
}

# ---- faults of the file ----

sub program_faults {
	my ($path) = @_;
	my @faults;

	for my $command ("xmllint --noout '$path'", "tidy -q -e '$path'") {
		my $said = `$command 2>&1`;

		push @faults, "$command: $said" if $? || $said;
	}
	my $text = text_of($path);
	(my $markup = $text) =~ s{<style>.*?</style>}{}s;
	push @faults, 'no policy'
		if $text !~ /http-equiv="Content-Security-Policy" content="default-src 'none'/;
	push @faults, "an address: $1" if $markup =~ m{((?:href|src)="(?!#)[^"]*)};
	push @faults, 'a style that fetches' if $text =~ /url\(|\@import/;
	return @faults;
}

# ---- faults that a browser sees ----

# The same browser for all: it takes longer to start than to look.
my $browser = Browser->start;

sub look {
	my ($path, %how) = @_;

	$browser->view(%how);
	$browser->open_page(abs_path($path));
	my $seen = $browser->value($judge);
	my @events = $browser->events;
	my @complaints = map { $_->{params}{entry}{text} // $_->{params}{exceptionDetails}{text}
			       // $_->{params}{args}[0]{value} }
		grep { $_->{method} =~ /^(?:Log.entryAdded|Runtime\.(?:exceptionThrown|consoleAPICalled))$/ }
		@events;
	my @requests = map { $_->{params}{request}{url} }
		grep { $_->{method} eq 'Network.requestWillBeSent' } @events;

	return ($seen, \@complaints, \@requests);
}

sub view_faults {
	my ($path, %how) = @_;
	my ($seen, $complaints, $requests) = look($path, %how);
	my @faults = map { "complaint: $_" } @$complaints;

	push @faults, map { "request: $_" } @$requests[1 .. $#$requests];
	push @faults, map { "$_: $seen->{$_}" } grep { $seen->{$_} }
		qw(scripts foreign handlers tables);
	push @faults, map { my $what = $_; map { "$what: $_" } @{ $seen->{$what} } }
		qw(twice lost);
	push @faults, map { "faint: $_->[0] $_->[1]" } @{ $seen->{faint} };
	push @faults, map { "pale: $_->[0] $_->[1]" } @{ $seen->{pale} };
	if (($how{width} // 0) == PHONE) {
		push @faults, "width: $seen->{width}" if $seen->{width} > PHONE;
		push @faults, map { "wide: $_" } @{ $seen->{wide} };
		push @faults, map { "small: $_->[0] $_->[1]" } @{ $seen->{small} };
	}
	for my $figure (@{ $seen->{figures} }) {
		my ($role, $label, $drawn) = @$figure;

		push @faults, "a figure that says nothing: $label"
			if ($role // '') ne 'img' || length $label < 40;
		push @faults, "an empty figure: $label" if $drawn < 3;
	}
	return ($seen, @faults);
}

my %views = (
	'by day' => [], 'by night' => [dark => 1], 'on paper' => [print => 1],
	'on a phone' => [width => PHONE], 'on a phone by night' => [width => PHONE, dark => 1],
);

sub judge_page {
	my ($what, $path) = @_;
	my %seen;

	is(join("\n", program_faults($path)), '', "$what: well-formed, fetches nothing");
	for my $view (sort keys %views) {
		my ($seen, @faults) = view_faults($path, @{ $views{$view} });

		is(join("\n", @faults), '', "$what: $view");
		$seen{$view} = $seen;
	}
	return %seen;
}

sub page {
	my ($path, @arguments) = @_;
	my ($out, $err, $code) = kvmeter('report', '-o', $path, @arguments);

	is("$code$out$err", '0', "$path: made, and nothing is said");
}

# ---- a sweep with everything ----

# Buckets of a latency of which a few are long.
sub histogram {
	my ($middle) = @_;

	return { samples => 1111, p50_ns => $middle, p90_ns => $middle, p99_ns => 2 * $middle,
		 p99_9_ns => 9 * $middle, max_ns => 90 * $middle,
		 buckets => [[$middle - 9, $middle, 1000], [2 * $middle, 2 * $middle + 9, 100],
			     [9 * $middle, 9 * $middle + 9, 10],
			     [90 * $middle - 9, 90 * $middle + 9, 1]] };
}

sub sweep {
	my ($path, $factor, %other) = @_;
	my @points;

	for my $vcpus (1, 2, 4, 8) {
		my $ns = $factor * 1e6 * (1 + $vcpus / 4);

		push @points, {
			config => { vcpus => $vcpus, bytes => 67108864 },
			metrics => [
				metric('create', runs($ns, 2, 9), accesses => 16384,
				       thread_accesses => 16384 / $vcpus),
				metric('stall', runs(3000, 40, 9), histogram => histogram(3000)),
				metric('pages_per_s', runs(1e6 * $vcpus, 1, 9), unit => 'pages/s',
				       better => 'higher')],
			checks => [
				{ name => 'create: mappings', result => 'ok', detail => 'created 32 x 2M' },
				{ name => 'create: log', result => $vcpus == 4 ? 'not ok' : 'ok',
				  detail => 'logged 7 pages' },
				{ name => 'no metric', result => 'not verified', detail => 'no statistics' }],
			notes => ["a note at $vcpus"],
		};
	}
	results($path, [], vcpus => [1, 2, 4, 8], verdict => 'fail', points => \@points, %other);
}

sweep('sweep.json', 1, host => { cpus => 2 });
{
	local $ENV{LC_ALL} = 'C';
	page('sweep.html', 'sweep.json');
}
my %sweep = judge_page('sweep', 'sweep.html');
my $text = $sweep{'by day'}{text};
is(scalar(@{ $sweep{'by day'}{figures} }), 7, 'sweep: runs, scaling, latencies');
for my $said (qr/Of 12 checks 1 failed and 4 could not be verified/, qr/a note at 8/,
	      qr/not ok log: logged 7 pages/, qr/not verified no metric: no statistics/,
	      qr/64M: from 1 vCPU to 8 vCPUs, .* times as much and .* times the ideal/,
	      qr/Ideal: the time falls as/, qr/Ideal: n vCPUs together reach n times/,
	      qr/p50 2\.99\d us, p99 .*, p99\.9 .*, at most 270/,
	      qr/the host's 2 CPUs/, qr/A check of it failed/, qr/outliers/, qr/^anonymous$|\tanonymous/m) {
	like($text, $said, "sweep: says $said");
}
isnt($sweep{'by night'}{ground}, $sweep{'by day'}{ground}, 'dark is another colour');
is($sweep{'on paper'}{ground}, '255,255,255', 'paper is white');
ok($sweep{'by day'}{texts} > 100 && $sweep{'by day'}{letters} > 50, 'all of it was looked at');

# ---- three kernels ----

my %kernels = ('a.json' => ['6.1.0-9-amd64', 1, 2], 'b.json' => ['6.12.3+deb13', 1.5, 3],
	       'c.json' => ['7.0.1', 1.5, 4], 'd.json' => ['5.10.0', 1, 1],
	       'rc2.json' => ['7.0.0-rc2', 1, 5], 'rc10.json' => ['7.0.0-rc10-next', 1, 6],
	       'out.json' => ['7.0.0', 1, 7]);
for my $path (keys %kernels) {
	my ($kernel, $factor, $minute) = @{ $kernels{$path} };

	results($path, [metric('create', runs($factor * 1e6, 2, 9))],
		host => { kernel => $kernel }, started => "2026-11-30T09:0$minute:00Z");
}
page('kernels.html', qw(a.json b.json c.json));
my %kernel_views = judge_page('three kernels', 'kernels.html');
$text = $kernel_views{'by day'}{text};
like($text, qr/^B 6\.12\.3\+deb13 is slower \(\+5\d\.\d%\), (?:the same|not known to differ): 1\.$/m,
	'three kernels: each against the one before');
like($text, qr/A \(6\.1\.0-9-amd64\) to C \(7\.0\.1\): 1 slower, 0 faster/,
	'three kernels: each against the first');
like(text_of('kernels.html'), qr{<text>\+5\d\.\d%</text>}, 'three kernels: told in the figure');

# Kernels in the order of the page's table of results.
sub kernel_order {
	my @arguments = @_;
	my ($out) = kvmeter('report', '--no-figures', @arguments);

	return join(' ', $out =~ m{<td class="m">(\d+\.\d+\.\d+[^<]*)</td>}g);
}
is(kernel_order(qw(b.json d.json a.json)), '6.12.3+deb13 5.10.0 6.1.0-9-amd64', 'as given');
is(kernel_order(qw(--order kernel b.json d.json a.json)), '5.10.0 6.1.0-9-amd64 6.12.3+deb13',
	'by kernel');
is(kernel_order(qw(--order time b.json d.json a.json)), '5.10.0 6.1.0-9-amd64 6.12.3+deb13',
	'by time');
is(kernel_order(qw(--order kernel out.json rc10.json c.json a.json rc2.json)),
	'6.1.0-9-amd64 7.0.0-rc2 7.0.0-rc10-next 7.0.0 7.0.1', 'candidates before the release');
page('candidates.html', qw(a.json rc2.json rc10.json));
like(text_of('candidates.html'), qr{>A 6\.1\.0<.*>B 7\.0\.0-rc2<.*>C 7\.0\.0-rc10<}s,
	'a candidate is called one in figures');

# ---- several experiments ----

for my $i (1 .. 3) {
	results("many/$i.json", [metric('create', runs(1e6, 2, 9)), metric('adjust', runs(1e5, 2, 9))],
		bench => "made_up_${i}_test", boot_id => "boot $i");
}
results('many/4.json', [], vcpus => [9], points => [], verdict => 'skip',
	reason => 'no huge pages', bench => 'made_up_1_test');
results('many/5.json', [], points => [], verdict => 'skip', reason => 'no KVM',
	bench => 'skipped_test');
page('many.html', 'many');
$text = { judge_page('several experiments', 'many.html') }->{'by day'}{text};
like($text, qr/\A4 experiments\n/, 'several experiments: counted');
like($text, qr/^made_up_2_test\ncreate\nadjust\n/m, 'several experiments: each has its figures');
like($text, qr/^skipped_test\n+Nothing was measured\.$/m, 'several experiments: a skip is told');
like($text, qr{^skipped: no huge pages \(many/4\.json\)$}m, '... with its reason');

# ---- results that are meant to do harm ----

my @evil = (
	'<script>document.title = "evil"</script>', '"><img src=x onerror=alert(1)>',
	"'; system(\"touch pwned\"); '", '`touch pwned`', "x\"\nsystem 'touch pwned'\n",
	"\x{202e}desrever \x{1F600} \x{e9}", 'NaN', '</style></svg>&amp;&#60;', '%s%n%g', '{/Symbol a}_2',
);
utf8::encode($_) for @evil;

# What the files of kvmeter cannot hold, and JSON can.
my $huge = 9_000_000_000_000_000_000;
my @odd_buckets = ([0, 1, $huge], [1, 0, -1], ['a'], {}, [5, $huge, 1]);

sub evil_file {
	my ($path, $i) = @_;
	my ($a, $b) = map { $evil[$_ % @evil] } $i, $i + 1;
	# what has a line end is refused as the name of a metric, unit, or benchmark
	my ($name_a, $name_b) = map { tr/\n/ /r } $a, $b;
	my @metrics = (
		metric($name_a, [0, 1, $huge, 3, 4, 5, 6, 7], unit => $name_b, remark => $a,
		       thread_accesses => $huge,
		       histogram => { max_ns => $huge, buckets => \@odd_buckets }),
		metric('plain', [($huge) x 7], unit => $name_a));
	my @points = map { {
		config => { vcpus => $_, bytes => $huge, v => $name_a }, metrics => \@metrics,
		checks => [{ name => $b, result => $a, detail => $b }], notes => [$a, 1, {}],
	} } 1, $huge;

	results($path, [], points => \@points, bench => $name_b, version => $a, reason => $b,
		verdict => $a, config => { backing => $b, $a => $b },
		host => { kernel => $a, cpu => $b, cpus => -1, $a => $b,
			  kvm => { module => $a, parameters => { $a => $b } } });
}
my @evil_files = map { "evil$_.json" } grep { $_ % 2 == 0 } 0 .. $#evil;
evil_file($_, $_ =~ /(\d+)/) for @evil_files;
page('evil.html', @evil_files);
my %evil_views = judge_page('harm', 'evil.html');
$text = $evil_views{'by day'}{text};
for my $i (0, 1, 3, 6, 7, 8) {
	ok(index($text, $evil[$i]) >= 0, "harm: $evil[$i] stands there as text");
}
ok(!-e 'pwned', 'harm: nothing of it was run');
unlike(text_of('evil.html'), qr/\xe2\x80\xae/, 'harm: writing is not turned around');

# ---- the same judgements of what is wrong ----

sub broken {
	my ($path, $from, $to) = @_;
	my $page = text_of('kernels.html');

	$page =~ s/$from/$to/ or die "$path: nothing to break\n";
	write_text($path, $page);
	return $path;
}

sub notices {
	my ($what, $pattern, @faults) = @_;

	like(join("\n", @faults), $pattern, "noticed: $what");
}

sub seen_faults {
	my ($path, %how) = @_;
	my ($seen, @faults) = view_faults($path, %how);

	return @faults;
}

notices('an unescaped name', qr/xmllint/, program_faults(broken('1.html', '<h1>', '<h1><x & y')));
notices('an identifier twice', qr/tidy/, program_faults(broken('2.html', '<h1>', '<h1 id="facts">')));
notices('the same, by the browser', qr/^twice: facts/m, seen_faults('2.html'));
notices('an address', qr/an address/, program_faults(broken('3.html', '<h1>', '<h1><a href="https://example.org/">x</a>')));
notices('no policy', qr/no policy/, program_faults(broken('4.html', 'Content-Security-Policy', 'X')));
notices('a script, which the policy stops', qr/^complaint: .*Content Security Policy/m,
	seen_faults(broken('5.html', '<h1>', '<script>console.log(1)</script><h1>')));
write_text('6.html', text_of('4.html') =~ s{<h1>}{<script>console.log('ran')</script><h1>}r);
notices('a script that runs', qr/^complaint: ran/m, seen_faults('6.html'));
write_text('7.html', text_of('4.html') =~ s{<h1>}{<img alt="x" src="file:///none.png"/><h1>}r);
notices('a request', qr/^request: .*none\.png/m, seen_faults('7.html'));
notices('a page too wide', qr/^width: \d+/m,
	seen_faults(broken('8.html', '<h1>', '<h1 style="width:500px">'), width => PHONE));
notices('pale text', qr/^faint: /m, seen_faults(broken('9.html', '--faint:#57606a', '--faint:#999')));
notices('a pale line by night', qr/^pale: --c3/m,
	seen_faults(broken('10.html', '--c3:#4fd0b5', '--c3:#333'), dark => 1));
notices('a figure that is silent', qr/says nothing/,
	seen_faults(broken('11.html', 'aria-label="Trend[^"]*"', 'aria-label="Trend"')));
notices('letters too small', qr/^small: /m,
	seen_faults(broken('12.html', 'font-size="13.00"', 'font-size="8"'), width => PHONE));
SKIP: {
	write_text('harm.gp', "set title \"$evil[3]\"\n");
	system('gnuplot -d harm.gp >/dev/null 2>&1');
	ok(-e 'pwned', 'noticed: gnuplot does run what is quoted badly');
	unlink('pwned');
}

# ---- the command ----

sub refused {
	my ($what, $wanted, $pattern, @arguments) = @_;
	my ($out, $err, $code) = kvmeter('report', @arguments);

	is("$code$out", $wanted, "$what: exit $wanted, no page") or diag($err);
	like($err, $pattern, "$what: named");
}

refused('nothing', 2, qr/no file or directory/);
refused('no results', 2, qr/none\.json: /, 'none.json');
results('skip.json', [], vcpus => [], points => [], verdict => 'skip', reason => 'no KVM');
refused('a skip alone', 2, qr/nothing was measured/, 'skip.json');
refused('an unknown order', 2, qr/--order age: not one of given, kernel, time/,
	qw(--order age a.json));
refused('a place that is none', 1, qr{--output none/x\.html: No such file},
	qw(--no-figures -o none/x.html a.json));
page('skip.html', 'a.json', 'skip.json');
like(text_of('skip.html'), qr{skipped</b>: no KVM}, 'a skip beside results is told');
{
	mkdir('bin');
	local $ENV{PATH} = abs_path('bin');
	refused('no gnuplot', 4, qr/apt-get install gnuplot-nox, or ask for --no-figures/,
		'-o', 'kept.html', 'a.json');
	ok(!-e 'kept.html', 'no gnuplot: no half of a page');
	page('tables.html', '--no-figures', 'a.json');
}
{
	mkdir($_) for qw(broken tmp);
	local $ENV{TMPDIR} = abs_path('tmp');
	write_text('broken/gnuplot', "#!/bin/sh\necho no paper left >&2\nexit 3\n");
	chmod(0755, 'broken/gnuplot');
	local $ENV{PATH} = abs_path('broken') . ":$ENV{PATH}";
	refused('a gnuplot that fails', 1, qr/gnuplot: exit 3: no paper left/, 'a.json');
	write_text('broken/gnuplot', "#!/bin/sh\necho '<svg width=\"4\">'\n");
	refused('half of a figure', 1, qr/gnuplot's SVG ends too early/, 'a.json');
	write_text('broken/gnuplot', "#!/bin/sh\n");
	refused('no figure', 1, qr/gnuplot has drawn 0 of 1 figures/, 'a.json');
	is(join(' ', glob('tmp/*')), '', 'what gnuplot was told is not left behind');
}
{
	my ($real) = grep { -x } map { "$_/gnuplot" } split /:/, $ENV{PATH};
	my $says = sub { "#!/bin/sh\necho $_[0] >&2\nexec $real \"\$\@\"\n" };

	local $ENV{PATH} = abs_path('broken') . ":$ENV{PATH}";
	write_text('broken/gnuplot', $says->('libnuma: Warning: no /sys'));
	page('noise.html', 'a.json');
	write_text('broken/gnuplot', $says->('\\"$2\\" line 7: warning: no data'));
	my ($out, $err) = kvmeter('report', '-o', 'warned.html', 'a.json');
	like($err, qr/gnuplot:.* line 7: warning: no data/, 'what gnuplot warns of is passed on');
}
unlike(text_of('tables.html'), qr/class="plot"/, '--no-figures: none');
my ($to_stdout, $err, $code) = kvmeter('report', 'a.json');
is($code, 0, 'standard output');
page('file.html', 'a.json');
is($to_stdout, text_of('file.html'), 'the same page on standard output');
is(join(' ', glob('*.tmp')), '', 'nothing is left behind');
SKIP: {
	skip('no /dev/full', 1) if !-c '/dev/full';
	my ($out, $said, $exit) = kvmeter('report', '--no-figures', '-o', '/dev/full', 'a.json');
	is($exit, 1, 'a full disk is a failure');
}
done_testing();
