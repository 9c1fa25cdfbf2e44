"""The faults of single processes inside a container, where the other ones stay: PostgreSQL without
its Patroni, Patroni without its PostgreSQL, and the process of keepalived that holds the gateways'
address."""

import os
import signal
import time

from deployment import ADDRESS, PATIENCE, Failure, process, run, wait
from faults import FROZEN, PATRONI, POSTGRESQL, Drill, kill, programs, reaction

KEEPALIVED = "/usr/sbin/keepalived"


def found(name, program, count):
    """The processes of a container with this program, which must have this number."""
    numbers = programs(name, program)
    if len(numbers) != count:
        raise Failure(f"{name} has {len(numbers)} processes of {program}, must have {count}")
    return numbers


def send(numbers, number):
    """Sends a signal to processes that run."""
    for each in numbers:
        try:
            os.kill(each, number)
        except ProcessLookupError as error:
            raise Failure(f"the process {each} has ended by itself") from error


def kill_postgresql(name):
    """Kills the first process of PostgreSQL, and so all of them. Patroni stays, and starts
    PostgreSQL again, or the standby takes over."""
    before = found(name, POSTGRESQL, 1)

    def end():
        wait(f"another PostgreSQL of {name}", PATIENCE,
             lambda: not set(programs(name, POSTGRESQL)) <= set(before))
        return name

    return Drill(lambda: send(before, signal.SIGKILL), end)


def freeze_postgresql(name):
    """Freezes the first process of PostgreSQL for some seconds: connections that are open work, and
    no others open."""
    first = found(name, POSTGRESQL, 1)

    def begin():
        send(first, signal.SIGSTOP)
        time.sleep(FROZEN)

    def end():
        send(first, signal.SIGCONT)
        return name

    return Drill(begin, end)


def kill_patroni(name):
    """Kills Patroni. Its parent, the first process of the container, ends then, and so does
    everything in it."""
    return kill(name, found(name, PATRONI, 2)[1])


def lose_patroni(name):
    """Kills the Patroni of a primary, but lets its parent not end: PostgreSQL stays, as on a
    machine where systemd starts both, until the guard stops it. Patroni returns when another
    primary has taken over and there is service."""
    first, worker = found(name, PATRONI, 2)
    has_reacted = reaction(name)

    def begin():
        send([first], signal.SIGSTOP)
        send([worker], signal.SIGKILL)
        has_reacted()

    def end():
        send([first], signal.SIGCONT)
        wait(f"a new process of {name}", PATIENCE, lambda: process(name) not in (0, first))
        return name

    return Drill(begin, end)


def freeze_patroni(name):
    """Freezes the Patroni of a primary, whose PostgreSQL stays until the guard stops it. Patroni
    continues when another primary has taken over and there is service."""
    patronis = found(name, PATRONI, 2)
    has_reacted = reaction(name)

    def begin():
        send(patronis, signal.SIGSTOP)
        has_reacted()

    def end():
        send(patronis, signal.SIGCONT)
        return name

    return Drill(begin, end)


def kill_vrrp():
    """Kills the process of keepalived that holds the gateways' address. Its parent starts another
    one; afterwards one gateway holds the address, by IPv4 and IPv6."""
    numbers = holders(ADDRESS[0])
    if len(numbers) != 1:
        raise Failure(f"{len(numbers)} gateways hold the address")
    name = f"address-{numbers[0]}"
    vrrp = found(name, KEEPALIVED, 2)[1:]

    def end():
        wait(f"another process of keepalived in {name}", PATIENCE,
             lambda: not set(programs(name, KEEPALIVED)[1:]) <= set(vrrp))
        wait("a single holder of the address", PATIENCE,
             lambda: all(len(holders(each)) == 1 for each in ADDRESS))
        return name

    return Drill(lambda: send(vrrp, signal.SIGKILL), end)


def holders(address):
    """The numbers of the gateways that hold an address."""
    family = "-6" if ":" in address else "-4"
    return [number for number in (1, 2)
            if run("nsenter", f"--target={process(f'address-{number}')}", "--net", "ip", family,
                   "-oneline", "address", "show", "to", address)]
