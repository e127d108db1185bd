#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Every wait has a deadline: a call that may wait for ever stands only where the
# list below says what ends it, which doc/robustness.md explains. And nothing but
# the date of a result comes from the clock that can be set.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

# What may wait, or spin, without end; and what of it has an end of its own.
my @kinds = (
	['a thread joined', qr/\bpthread_join\s*\(/],
	['a thread joined by the wall clock', qr/\bpthread_(?:timedjoin_np|cond_timedwait)\b|\bsem_timedwait\b/],
	['a condition, semaphore or barrier', qr/\b(?:pthread_cond_wait|sem_wait|pthread_barrier_wait)\s*\(/],
	['a lock of threads', qr/\bpthread_(?:mutex|rwlock|spin)_?(?:rd|wr)?lock\s*\(/],
	['a lock of files', qr/\b(?:flock|lockf)\s*\((?!.*LOCK_NB)|\bF_(?:OFD_)?SETLKW\b/],
	['a child', qr/\b(?:wait|wait3|wait4|waitpid|waitid)\s*\((?!.*WNOHANG)/],
	['a futex', qr/\bFUTEX_FOREVER\);|\bSYS_futex\b/],
	['descriptors', qr/\b(?:p?poll|p?select|epoll_p?wait)\s*\(/],
	['a read', qr/(?<![.>])\b(?:read|recv|recvmsg|recvfrom|accept4?|readv)\s*\(/],
	['a signal', qr/\b(?:sigwait|sigwaitinfo|sigsuspend|pause)\s*\(/],
	['a call made again and again', qr/\bE(?:AGAIN|INTR)\b/],
	['KVM_RUN', qr/\bKVM_RUN,/],
	['another program', qr/\b(?:system|popen)\s*\(/],
	['a spin of the guest', qr/\barch_pause\s*\(\)|\bcpu_relax\b/],
	['a guest that goes on for ever', qr/\bfor\s*\(;;\)|\bwhile\s*\((?:1|true)\)/, qr{/guest/}],
	['a guest that halts', qr/(?:\\t|\b)(?:hlt|wfi|wfe)\b(?!_)/],
	['the clock that can be set', qr/\bCLOCK_(?:REALTIME|TAI)\b|\bgettimeofday\b|\btime\s*\(\s*(?:NULL|&|0)/],
);

# FILE: the code of the line => what ends it.
my %known = (
	# ---- of the main thread, which makes them end, or ends the process ----
	'lib/gang.c: futex_wait(&g->round, round, FUTEX_FOREVER);' =>
		'a vCPU thread between two rounds: gang_free() wakes it',
	'lib/crew.c: futex_wait(&c->list, list, FUTEX_FOREVER);' =>
		'a host thread between two lists: crew_free() wakes it',
	'lib/futex.c: syscall(SYS_futex, futex, FUTEX_WAIT_PRIVATE, value,' =>
		'the callers of futex_wait() say how long',
	'lib/futex.c: syscall(SYS_futex, futex, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0);' => 'does not wait',
	'lib/uffd.c: ppoll(p, a->nr < IN_FLIGHT ? 2 : 1, a->nr ? &t : NULL, NULL);' =>
		'a thread without faults: uffd_server_free() writes to stop_fd',
	# ---- never wait ----
	'lib/uffd.c: ssize_t bytes = read(a->server->fd, &msg, sizeof(msg));' => 'O_NONBLOCK',
	'lib/uffd.c: return errno == EAGAIN ? 0 : failed(a, "read");' => 'the loop goes on to ppoll()',
	'lib/tracepoint.c: bytes = read(fd, &count, sizeof(count));' => 'a counter of perf',
	'lib/kernel_log.c: bytes = read(log->fd, record, RECORD_BYTES - 1);' => 'O_NONBLOCK',
	'lib/kernel_log.c: } while (bytes < 0 && (errno == EPIPE || errno == EINTR));' =>
		'EPIPE: what was overwritten is skipped; the log is read faster than it grows',
	'tools/kvmeter/child.c: ssize_t nr = read(report, &failure, sizeof(failure));' => 'O_NONBLOCK',
	'lib/remedy.c: { EAGAIN, ": raise the limit of processes and threads (ulimit -u, or pids.max of the control group)" },' =>
		'a text',
	'lib/remedy.c: { EAGAIN, ": the system is at a limit: try again, or ask for less" },' => 'a text',
	'lib/remedy.c: { EINTR,  ": a signal came between: try again" },' => 'a text',
	'lib/outfile.c: return fd >= 0 && close(fd) && errno != EINTR ? errno : 0;' => 'is not made again',
	'tools/kvmeter/setting_file.c: if (close(fd) && errno != EINTR && !error)' => 'is not made again',
	'tools/kvmeter/bisect_log.c: if (!error && close(fd) && errno != EINTR)' => 'is not made again',
	# ---- are made again, but not for ever ----
	'lib/outfile.c: if (errno != EINTR)' => 'signals come one at a time',
	'lib/tracepoint.c: } while (bytes < 0 && errno == EINTR);' => 'the same',
	'lib/uffd.c: if (bytes < 0 && errno == EINTR)' => 'the same',
	'lib/uffd.c: } while (bytes < 0 && errno == EINTR);' => 'the same',
	'lib/util.c: if (nr < 0 && errno != EINTR)' => 'the same',
	'lib/util.c: } while (error == EINTR);' => 'the same',
	'lib/util.c: } while (got > 0 || (got < 0 && errno == EINTR));' => 'the same',
	'lib/util.c: got = read(fileno(f), text + len, size - len - 1);' =>
		'files of the kernel, or what the user has named; a signal ends it',
	'lib/util.c: } while (got < 0 && errno == EINTR);' => 'the same',
	'lib/uffd.c: if (errno != EAGAIN ||' => 'AGAIN_NS',
	'lib/uffd.c: if (errno == EAGAIN && patience_look(&patience) < AGAIN_NS)' => 'AGAIN_NS',
	'lib/populate.c: if ((errno == EINTR || errno == EAGAIN) &&' => 'POPULATE_S',
	'lib/vcpu.c: if (ioctl(vcpu->fd, KVM_RUN, NULL) < 0) {' =>
		'the gang sees no progress, and kicks: immediate_exit',
	'lib/vcpu.c: if (errno != EINTR && errno != EAGAIN)' => 'the same',
	'lib/kvm_ioctl.c: } while (ret < 0 && errno == EINTR);' => 'signals come one at a time',
	'tools/kvmeter/foreign.c: nr = read(s->fd, buffer, size);' =>
		'what the user has named, be it a pipe; a signal ends it',
	'tools/kvmeter/foreign.c: } while (nr < 0 && errno == EINTR);' => 'signals come one at a time',
	'tools/kvmeter/setting_file.c: } while (written < 0 && errno == EINTR);' => 'the same',
	'tools/kvmeter/child.c: if (sig < 0 && errno != EINTR)' => 'the same; sigtimedwait() does not wait',
	'tools/kvmeter/child.c: return errno == EINTR ? SIGCHLD : 0;' => 'the limit is looked at',
	'tools/kvmeter/child.c: while (waitpid(pid, &status, 0) < 0 && errno == EINTR)' =>
		'has_ended() has seen that it is a zombie',
	# ---- wait for their own process ----
	'tools/kvmeter/guardian.c: nr = read(from, &word, 1);' =>
		'the guardian, until kvmeter ends or says that it may',
	'tools/kvmeter/guardian.c: } while (nr < 0 && errno == EINTR);' => 'the same',
	# ---- held for as long as KVM takes for a call: the gang and the watchdog look ----
	'lib/dirty.c: pthread_mutex_lock(&log->lock);' => 'never held by who waits',
	# ---- guests: who waits in silence for the timeout is stuck for the gang ----
	'lib/guest/space.c: arch_pause();' => 'the gang; who has the turn is silent',
	'lib/guest/process.c: arch_pause();' => 'the gang',
	'lib/guest/writer.c: arch_pause();' => 'the gang',
	'lib/guest/runtime.c: for (;;)' => 'exits to the host each time',
	'lib/guest/runtime.c: for (;;) {' => 'exits to the host each time',
	'arch/x86_64/guest/trap.c: for (;;)' => 'exits to the host each time',
	'arch/aarch64/guest/trap.c: for (;;)' => 'exits to the host each time',
	'lib/guest/load.c: for (;;) {' => 'a sort: each turn divides what is left, or looks, which is progress',
	'lib/guest/blocks.c: for (;;) {' =>
		'the CPU-bound thread: no progress, so that the gang sees a page that never comes',
	'arch/x86_64/guest/async_pf.c: __asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");' =>
		'until an event; the gang',
	# ---- the date of a result, and names that tell it ----
	'lib/bench.c: time_t now = time(NULL);' => '"started"',
	'tools/kvmeter/run.c: time_t now = time(NULL);' => '"started"',
	'tools/kvmeter/run_plan.c: time_t now = time(NULL);' => 'the name of a directory; it need not be new',
	'tools/kvmeter/bisect_log.c: time_t now = time(NULL);' => '"time" of a step',
);

sub lines_of {
	my ($path) = @_;

	open(my $in, '<', $path) or die "$path: $!\n";
	local $/;
	my $text = <$in>;

	# comments away, line numbers kept
	$text =~ s{(/\*.*?\*/)}{$1 =~ tr/\n//cdr}gse;
	return split /\n/, $text, -1;
}

# [file, line, kind, "file: code"]
sub waits {
	my ($file, $path) = @_;
	my ($number, @found) = (0);

	for my $line (lines_of($path)) {
		my $code = $line =~ s/^\s+|\s+$//gr;

		$number++;
		next if $code =~ /^#\s*(?:include|define\s+\w+\s+\()/;
		for my $kind (@kinds) {
			my ($name, $pattern, $where) = @$kind;

			next if $code !~ $pattern || ($where && $file !~ $where);
			push @found, [$file, $number, $name, "$file: $code"];
		}
	}
	return @found;
}

sub faults {
	return map { "$_->[0]:$_->[1]: $_->[2]: no deadline that this check knows; say what ends it in \%known, check/source/waits.t: $_->[3]" }
		grep { !exists $known{ $_->[3] } } @_;
}

my @files = grep { /\.[chS]\z/ } split /\n/,
	`git ls-files lib arch include tests tools/kvmeter 2>/dev/null`
	|| `find lib arch include tests tools/kvmeter -type f`;
my @found = map { waits($_, $_) } @files;
my %seen = map { $_->[3] => 1 } @found;

is(join("\n", faults(@found)), '', 'no wait without an end that is known');
is(join("\n", grep { !$seen{$_} } sort keys %known), '', 'and none of the list is gone');
cmp_ok(scalar @found, '>', 30, 'waits are seen');

# ---- the judgement above can fail ----

my $scratch = tempdir(CLEANUP => 1);
my %added = (
	'pthread_join(thread, NULL);' => 'a thread joined',
	'error = pthread_timedjoin_np(thread, NULL, &ts);' => 'a thread joined by the wall clock',
	'pthread_cond_wait(&cond, &lock);' => 'a condition',
	'sem_wait(&sem);' => 'a condition',
	'pthread_mutex_lock(&lock);' => 'a lock of threads',
	'flock(fd, LOCK_EX);' => 'a lock of files',
	'fcntl(fd, F_SETLKW, &lock);' => 'a lock of files',
	'waitpid(pid, NULL, 0);' => 'a child',
	'poll(fds, 1, -1);' => 'descriptors',
	'futex_wait(&word, 0, FUTEX_FOREVER);' => 'a futex',
	'nr = read(pipe_fd, buf, 1);' => 'a read',
	'pause();' => 'a signal',
	'} while (errno == EAGAIN);' => 'a call made again',
	'while (READ_ONCE(flag)) arch_pause();' => 'a spin of the guest',
	'system("sleep 1");' => 'another program',
	'clock_gettime(CLOCK_REALTIME, &ts);' => 'the clock that can be set',
	'deadline = time(NULL) + 10;' => 'the clock that can be set',
);
for my $code (sort keys %added) {
	open(my $to, '>', "$scratch/added.c") or die "added.c: $!\n";
	print $to "/* pause(); of a comment */\nvoid f(void)\n{\n\t$code\n}\n";
	close($to);
	my @wrong = faults(waits('lib/added.c', "$scratch/added.c"));
	is(scalar @wrong, 1, "added: $code");
	like($wrong[0] // '', qr{^lib/added\.c:4: \Q$added{$code}\E}, '... by its kind and line');
}
for my $code ('waitpid(pid, NULL, WNOHANG);', 'flock(fd, LOCK_EX | LOCK_NB);', 'stop.read(x);',
	      'u64 time = now_ns();', 'clock_gettime(CLOCK_MONOTONIC, &ts);') {
	open(my $to, '>', "$scratch/added.c") or die "added.c: $!\n";
	print $to "$code\n";
	close($to);
	is(join('', faults(waits('lib/added.c', "$scratch/added.c"))), '', "not a wait: $code");
}
done_testing();
