# SPDX-License-Identifier: GPL-2.0-only
#
# A headless Chromium, spoken to by its DevTools protocol over two pipes
# (--remote-debugging-pipe: JSON messages ended by a zero byte, to its descriptor
# 3 and from its descriptor 4).
package Browser;
use strict;
use warnings;
use Fcntl qw(F_SETFD);
use File::Temp qw(tempdir);
use IO::Select;
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use POSIX ();
use Time::HiRes qw(time);

use constant SECONDS => 60; # for one answer, on a machine in distress

my @names = qw(chromium chromium-browser google-chrome);

# Its path, or undef.
sub find {
	for my $name (@names) {
		my ($path) = grep { -x } map { "$_/$name" } split /:/, $ENV{PATH};
		return $path if $path;
	}
	return;
}

sub start {
	my ($class) = @_;
	my $path = find() // die "no Chromium\n";
	my $profile = tempdir(CLEANUP => 1);

	pipe(my $to_read, my $to) or die "pipe: $!\n";
	pipe(my $from, my $from_write) or die "pipe: $!\n";
	my $pid = fork() // die "fork: $!\n";
	if (!$pid) {
		setpgrp(0, 0);
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', '/dev/null');
		open(STDERR, '>', "$profile/stderr");
		# away from 3 and 4 first, where either may already be
		my ($r, $w) = map { POSIX::dup2(fileno($_->[0]), $_->[1]) && $_->[1] }
			[$to_read, 20], [$from_write, 21];
		POSIX::dup2($r, 3);
		POSIX::dup2($w, 4);
		POSIX::close($_) for 20, 21;
		# where it leaves a directory, being killed
		local $ENV{TMPDIR} = $profile;
		exec($path, '--headless', '--no-sandbox', '--disable-gpu',
		     '--disable-dev-shm-usage', '--no-first-run', '--hide-scrollbars',
		     '--disable-background-networking', '--disable-component-update',
		     "--user-data-dir=$profile", '--remote-debugging-pipe',
		     'about:blank') or POSIX::_exit(127);
	}
	close $to_read;
	close $from_write;
	$to->autoflush(1);
	my $self = bless { pid => $pid, to => $to, from => $from, buffer => '', id => 0,
			   events => [], profile => $profile }, $class;
	my ($target) = grep { $_->{type} eq 'page' }
		@{ $self->ask('Target.getTargets')->{targetInfos} };
	$self->{session} = $self->ask('Target.attachToTarget',
		targetId => $target->{targetId}, flatten => JSON::PP::true)->{sessionId};
	$self->ask("$_.enable") for qw(Page Network Runtime Log);
	return $self;
}

sub DESTROY {
	my ($self) = @_;
	local ($?, $@);

	kill('KILL', -$self->{pid});
	waitpid($self->{pid}, 0);
}

# The next message, or dies.
sub receive {
	my ($self) = @_;
	my $end = time + SECONDS;

	while ($self->{buffer} !~ /\0/) {
		IO::Select->new($self->{from})->can_read($end - time > 0 ? $end - time : 0)
			or die "Chromium does not answer\n";
		sysread($self->{from}, $self->{buffer}, 1 << 20, length $self->{buffer})
			or die "Chromium has ended\n";
	}
	$self->{buffer} =~ s/\A(.*?)\0//s;
	return decode_json($1);
}

# The result of a command; events that come before it are kept.
sub ask {
	my ($self, $method, %params) = @_;
	my $id = ++$self->{id};

	print { $self->{to} } encode_json({
		id => $id, method => $method, params => \%params,
		$self->{session} ? (sessionId => $self->{session}) : () }), "\0";
	for (;;) {
		my $message = $self->receive;

		if (!defined $message->{id}) {
			push @{ $self->{events} }, $message;
		} elsif ($message->{id} == $id) {
			die "$method: $message->{error}{message}\n" if $message->{error};
			return $message->{result};
		}
	}
}

# Events since the last call.
sub events {
	my ($self) = @_;
	my @events = @{ $self->{events} };

	$self->{events} = [];
	return @events;
}

sub wait_for {
	my ($self, $method) = @_;

	for (;;) {
		return if grep { $_->{method} eq $method } @{ $self->{events} };
		push @{ $self->{events} }, $self->receive;
	}
}

# %how: width, height, dark, print
sub view {
	my ($self, %how) = @_;

	$self->ask('Emulation.setDeviceMetricsOverride', width => $how{width} // 1280,
		height => $how{height} // 900, deviceScaleFactor => $how{scale} // 1,
		mobile => ($how{width} // 1280) < 600 ? JSON::PP::true : JSON::PP::false);
	$self->ask('Emulation.setEmulatedMedia', media => $how{print} ? 'print' : 'screen',
		features => [{ name => 'prefers-color-scheme',
			       value => $how{dark} ? 'dark' : 'light' }]);
}

# Loads a file; all that happened meanwhile is in events().
sub open_page {
	my ($self, $path) = @_;

	$self->events;
	$self->ask('Page.navigate', url => "file://$path");
	$self->wait_for('Page.loadEventFired');
}

# The value of a JavaScript expression. It is ours: the page has no script.
sub value {
	my ($self, $expression) = @_;
	my $result = $self->ask('Runtime.evaluate', expression => $expression,
		returnByValue => JSON::PP::true);

	die "$expression: $result->{exceptionDetails}{text}\n" if $result->{exceptionDetails};
	return $result->{result}{value};
}

# The whole page as PNG.
sub screenshot {
	my ($self, $path) = @_;
	my $png = $self->ask('Page.captureScreenshot', captureBeyondViewport => JSON::PP::true);

	save($path, $png->{data});
}

sub pdf {
	my ($self, $path) = @_;

	save($path, $self->ask('Page.printToPDF', printBackground => JSON::PP::false,
		preferCSSPageSize => JSON::PP::true, paperWidth => 8.27,
		paperHeight => 11.69)->{data});
}

sub save {
	my ($path, $data) = @_;

	open(my $out, '>', $path) or die "$path: $!\n";
	binmode $out;
	print $out decode_base64($data);
	close $out;
}

1;
