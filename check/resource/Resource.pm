# SPDX-License-Identifier: GPL-2.0-only
#
# Surroundings that lack something, each made for one command and gone with it:
# limits of the process, namespaces, control groups, system calls taken away.
package Resource;
use strict;
use warnings;
use Exporter 'import';
use FindBin;
use lib "$FindBin::Bin/../harness";
use Harness;
use POSIX ();

our @EXPORT = qw(@benches program placed surround);

our @benches = qw(page_table_test dirty_log_perf_test dirty_log_test async_pf_test
		  tlb_stress_test memslot_zap_test);

# Nobody else's, so that no limit of a user counts what others run.
our $uid = 64321;

# A program where an ordinary user can look.
sub placed
{
	my ($name) = @_;
	my $from = binary($name);
	my $to = scratch($from =~ s{.*/}{}r);

	chmod 0755, scratch();
	system('cp', $from, $to) && die "cp $from\n" unless -e $to;
	return $to;
}

# surround({ mount => SCRIPT, group => DIR, without => [WHAT], user => UID or 1,
#	     shell => SCRIPT }, COMMAND...)
#
# The command with others in front of it, from the outermost to the innermost.
sub surround
{
	my ($in, @command) = @_;
	my @words;

	push @words, in_namespace($in->{mount}) if $in->{mount};
	push @words, in_control_group($in->{group}) if $in->{group};
	push @words, (placed('check/resource/without'), @{ $in->{without} }, '--') if $in->{without};
	push @words, ('setpriv', '--reuid', $uid, '--regid', $uid, '--clear-groups') if $in->{user};
	push @words, ('/bin/sh', '-c', "$in->{shell}\nexec \"\$@\"", 'sh') if $in->{shell};
	return (@words, @command);
}

1;
