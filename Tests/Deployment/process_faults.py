"""The faults of single processes inside a container, where the other ones stay: PostgreSQL without
its Patroni, Patroni without its PostgreSQL, and the process of keepalived that holds the gateways'
address; and a network that parts the two gateways."""

import json
import os
import signal
import time

from deployment import ADDRESS, PATIENCE, Failure, process, router, run, wait
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
    name = holder()
    vrrp = found(name, KEEPALIVED, 2)[1:]

    def end():
        wait(f"another process of keepalived in {name}", PATIENCE,
             lambda: not set(programs(name, KEEPALIVED)[1:]) <= set(vrrp))
        wait_for_one_holder()
        return name

    return Drill(lambda: send(vrrp, signal.SIGKILL), end)


def cut_holder():
    """Cuts off the gateway that holds the address, at its port of the bridge: its device stays up,
    so that both hold the address until the first one finds no service. Afterwards one has it."""
    name = holder()
    other = 3 - int(name[-1])
    port = port_of(name)

    def begin():
        set_port(port, "disabled")
        wait(f"the address at gateway-{other}", PATIENCE, lambda: other in holders(ADDRESS[0]))

    def end():
        set_port(port, "forwarding")
        wait_for_one_holder()
        return name

    return Drill(begin, end)


def port_of(name):
    """The bridge's port of a container with one network: a device in the router's namespace."""
    inner = json.loads(run("nsenter", f"--target={process(name)}", "--net", "ip", "-json", "link"))
    [index] = [each["link_index"] for each in inner if "link_index" in each]
    return next(each["ifname"] for each in json.loads(router("ip", "-json", "link"))
                if each["ifindex"] == index)


def set_port(port, state):
    """The state of a bridge's port: `disabled` drops all frames, `forwarding` is the normal one."""
    number = {"disabled": "0", "forwarding": "3"}[state]
    router("bridge", "link", "set", "dev", port, "state", number)


def holder():
    """The container of the gateway that holds the address, alone."""
    numbers = holders(ADDRESS[0])
    if len(numbers) != 1:
        raise Failure(f"{len(numbers)} gateways hold the address")
    return f"address-{numbers[0]}"


def wait_for_one_holder():
    """Waits until one gateway holds the address by IPv4, and one by IPv6."""
    wait("a single holder of the address", PATIENCE,
         lambda: all(len(holders(each)) == 1 for each in ADDRESS))


def holders(address):
    """The numbers of the gateways that hold an address."""
    family = "-6" if ":" in address else "-4"
    return [number for number in (1, 2)
            if run("nsenter", f"--target={process(f'address-{number}')}", "--net", "ip", family,
                   "-oneline", "address", "show", "to", address)]
