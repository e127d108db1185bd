# SPDX-License-Identifier: GPL-2.0-only
#
# Benchmarks that measure nothing: shell scripts which answer to --describe and
# write the results that they are told, and then end as they are told.
package FakeTest;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use JSON::PP;
use lib dirname(__FILE__);
use MadeUp;

our @EXPORT = qw(description fake_program fake_test);

my $json = JSON::PP->new->canonical;

sub description {
	my ($name, %other) = @_;

	return $json->encode({
		schema => 'kvmeter-describe/1', bench => $name, version => '1.0',
		question => "what is $name?", options => [],
		metrics => [{ name => 'create', unit => 'ns', better => 'lower',
			      help => 'first access' }],
		checks => [{ name => 'create: mappings', metric => 'create' }],
		%other });
}

# An executable file NAME that runs this text.
sub fake_program {
	my ($path, $text) = @_;

	write_text($path, $text);
	chmod(0755, $path) or die "$path: $!\n";
}

# A benchmark whose --describe prints $description, which knows all options but
# --never, and which else runs $script: "results FILE" in it copies FILE to where
# --json says, $* are its other options.
sub fake_test {
	my ($path, $description, $script) = @_;

	fake_program($path, <<"END");
#!/bin/sh
if [ "\$1" = --describe ]; then
	cat <<'DESCRIPTION'
$description
DESCRIPTION
	exit
fi
case " \$* " in *" --never "*)
	echo "\${0##*/}: --never: unknown option" >&2
	exit 2
esac
case " \$* " in *" --help "*) exit ;; esac
results() { cp "\$1" "\$json"; }
left=\$#
while [ \$left -gt 0 ]; do
	if [ "\$1" = --json ]; then
		json=\$2
		shift
		left=\$((left - 1))
	else
		set -- "\$@" "\$1"
	fi
	shift
	left=\$((left - 1))
done
$script
END
}

1;
