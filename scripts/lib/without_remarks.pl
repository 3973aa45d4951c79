#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# without_remarks.pl COMMAND ARGUMENTS...
# Runs mpirun and passes its stderr on at once, byte by byte. It leaves out only mpirun's remarks about
# a rank that ends with a non-zero status: the program has given the reason, and the status repeats it.
# Signals, stdin, stdout and the exit status are mpirun's own.
# Each mpirun keeps its files in a separate folder: in the common folder, Open MPI 5 refuses to start
# if a killed mpirun with the same process number has left files.
use strict;
use warnings;
use File::Temp;

my $rule    = '-' x 74 . "\n";
my $remark  = qr/\Q$rule\E(?:prterun|mpirun)\ detected\ that\ one\ or\ more\ processes\ exited
    \ with\ non-zero\ status,.*?\Q$rule\E/xs;
my $primary = qr/\Q$rule\EPrimary\ job\s+terminated\ normally,\ but.*?\Q$rule\E/xs;
my $pmix    = qr/^\[[^\]\n]+:\d+\]\ PMIX\ ERROR:\ PMIX_ERR_UNREACH\ in\ file\ [^\n]*\n/xm;
# Beginnings of these remarks: bytes at the end of the output that may begin a remark are held back.
my @openings = (
    $rule . 'prterun detected that one or more processes exited with non-zero status,',
    $rule . 'mpirun detected that one or more processes exited with non-zero status,',
    $rule . 'Primary job  terminated normally, but',
);

my $folder = File::Temp->newdir('mpirun.XXXXXX', TMPDIR => 1);
$ENV{PRTE_MCA_prte_local_tmpdir_base} //= "$folder" if !$ENV{PRTE_MCA_prte_tmpdir_base};

pipe(my $reader, my $writer) or die "pipe: $!";
my $child = fork() // die "fork: $!";
if ($child == 0) {
    close $reader;
    open(STDERR, '>&', $writer) or die "stderr: $!";
    close $writer;
    exec { $ARGV[0] } @ARGV or print STDERR "$ARGV[0]: $!\n";
    exit 127;
}
close $writer;
# The terminal also sends ^C to mpirun, which then ends its ranks; this script waits for its status.
$SIG{INT} = $SIG{QUIT} = 'IGNORE';
for my $name (qw(TERM HUP USR1 USR2)) {
    $SIG{$name} = sub { kill $name => $child };
}

my $held = '';
while (1) {
    my $count = sysread($reader, my $chunk, 65536);
    next if !defined $count && $!{EINTR};
    last if !$count;
    $held .= $chunk;
    $held =~ s/$remark//g;
    $held =~ s/$primary//g;
    $held =~ s/$pmix//g;
    pass(length($held) - length(unfinished($held)));
}
pass(length $held);
waitpid($child, 0);
undef $folder;
if (my $signal = $? & 127) {
    $SIG{$_} = 'DEFAULT' for qw(INT QUIT TERM HUP USR1 USR2);
    kill $signal => $$;
}
exit($? >> 8);

sub pass {
    my ($size) = @_;
    while ($size > 0) {
        my $written = syswrite(STDERR, $held, $size) // ($!{EINTR} ? 0 : last);
        substr($held, 0, $written) = '';
        $size -= $written;
    }
}

# unfinished TEXT: the end of the text that may still become a remark, or nothing.
sub unfinished {
    my ($text) = @_;
    for my $opening (@openings) {
        my $at = index($text, $opening);
        return substr($text, $at) if $at >= 0;
    }
    for my $opening (@openings) {
        my $longest = length($opening) < length($text) ? length($opening) : length($text);
        for my $size (reverse 1 .. $longest) {
            my $end = substr($text, -$size);
            return $end if $end eq substr($opening, 0, $size)
                && ($size == length($text) || substr($text, -$size - 1, 1) eq "\n");
        }
    }
    return '';
}
