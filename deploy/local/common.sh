# What the programs of this directory and the tests share: the state directory, the network
# namespace, and the commands inside it. To be sourced by bash, as root.
#
# All zones, their router and its firewall are in a network namespace of their own, so that neither
# the routes nor the rules of this machine change. The machine is outside: it reaches the deployment
# through the outer network, as any client.

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
state="${DEPLOY_STATE:-/var/lib/trackme-local}"
namespace=trackme
project=trackme
# Seconds until a part has to be ready; a machine that is busy with other work needs more.
patience="${DEPLOY_PATIENCE:-90}"
zones="gateways services data keys egress operator quorum monitoring"
outer4=10.91.0
outer6=fd91:7472:6163:
public4=$outer4.1
public6=${outer6}:1
# All zones, with the outer network.
zones4=10.91.0.0/16
zones6=fd91:7472:6163::/48
export DEPLOY_SECRETS="$state/secrets" DEPLOY_AUTHORITY="$state/inner"
export CONTAINERS_CONF="$state/containers.conf"
export TRACKME_PUBLIC_URL="https://$public4"

say() { printf 'deploy: %s\n' "$*"; }
fail() { printf 'deploy: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || fail "a deployment on this machine needs root"

# Removes what `up` adds to the network of this machine.
remove_router() {
  if [ -e "/run/netns/$namespace" ]; then ip netns delete "$namespace"; fi
  ip link delete trackme-outer 2>/dev/null || true
  ip route delete unreachable "$zones4" metric 4096 2>/dev/null || true
  ip -6 route delete unreachable "$zones6" metric 4096 2>/dev/null || true
}

inside() { nsenter --net="/run/netns/$namespace" "$@"; }
# Options and URL of curl: asks an inner port as the monitoring does. The address isn't compared
# with the certificate, which names a role.
ask() {
  local own="$DEPLOY_AUTHORITY/monitoring"
  inside curl --silent --max-time 2 --insecure --cert "$own/certificate.pem" \
    --key "$own/key.pem" "$@"
}
# The files of the containers, separated by colons; later ones change earlier ones. With those of
# another version, `replace` starts its containers.
compose_files="${DEPLOY_COMPOSE:-$here/deploy/compose.yaml}"
compose() {
  local file options=()
  while IFS= read -r -d : file; do options+=(--file "$file"); done <<<"$compose_files:"
  inside "$state/python/bin/podman-compose" --project-name "$project" "${options[@]}" "$@"
}
container() { echo "${project}_$1_1"; }
# Seconds, with a deadline: waits until a command succeeds.
wait_for() {
  local seconds="$1" what="$2" end=$((SECONDS + $1))
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "$what is not ready after $seconds s"
    sleep 0.5
  done
}
start() { # containers of these services
  local name names=()
  for name in "$@"; do names+=("$(container "$name")"); done
  inside podman start "${names[@]}" >/dev/null
  fix_bridges
}
# A bridge has the lowest hardware address of its ports unless one is set (type 3). It would change
# whenever a container is replaced, and the others would send to the former one until their entries
# of neighbours expire, half a minute later.
fix_bridges() {
  # shellcheck disable=SC2016 # expanded in the namespace, with its devices
  ip netns exec "$namespace" sh -c '
    for bridge in /sys/class/net/*/bridge; do
      device="${bridge%/bridge}"
      [ "$(cat "$device/addr_assign_type")" = 3 ] ||
        ip link set dev "${device##*/}" address "$(cat "$device/address")"
    done'
}
# primary SCOPE: the container of the cluster's primary.
# Holds a lock until the end of this script: two calls that restart or replace containers at once
# could stop both of a pair. A signal ends the script once the running command has ended, which must
# not outlive the lock.
take_turn() {
  exec 9>>"$state/turn.lock"
  flock --nonblock 9 ||
    fail "deploy/local/replace or renew is running: wait for its end, then call again"
  trap 'exit 1' HUP INT TERM
}
primary() {
  local number name=database zone=3
  [ "$1" = data ] || { name=keys-database zone=4; }
  for number in 1 2; do
    if ask --fail --output /dev/null "https://10.91.$zone.1$number:8008/primary"; then
      container "$name-$number"
      return 0
    fi
  done
  return 1
}
# authority COMMAND…: the private authority of the zones. Its key stays in a directory of root, and
# the container that uses it has no network. Files of a holder belong to its directory's owner.
authority() {
  local status=0
  podman run --rm --network none --read-only --user 0:0 --cap-drop ALL \
    --cap-add CHOWN --cap-add DAC_OVERRIDE --cap-add FOWNER \
    --volume "$DEPLOY_AUTHORITY:/authority" --env TRACKME_AUTHORITY=/authority \
    localhost/trackme-tool trackme authority "$@" || status=$?
  # What clients of the databases need: the trusted authorities alone, also if the files of one
  # holder could not be written.
  if [ -e "$DEPLOY_AUTHORITY/authority.pem" ]; then
    install -d -m 0755 "$DEPLOY_AUTHORITY/clients"
    install -m 0644 "$DEPLOY_AUTHORITY/authority.pem" "$DEPLOY_AUTHORITY/clients/authority.pem"
  fi
  return "$status"
}
# secret NAME OWNER: writes standard input to a file that only the owner reads. A file that exists
# is written in place: the containers that mount it would not see another one under its name.
# The input is read to its end first and the file is never empty: services read it at any time.
secret() {
  local file="$DEPLOY_SECRETS/$1"
  [ -e "$file" ] || install -m 0400 -o "$2" -g "$2" /dev/null "$file" || return 1
  /usr/bin/python3 -Ic 'import sys
content = sys.stdin.buffer.read()
with open(sys.argv[1], "r+b") as file:
    file.write(content)
    file.truncate()' "$file"
}
# The operator's tool, and the directory of its files.
operator() { compose run --rm -T operator trackme "$@"; }
operator_state() { podman volume inspect --format '{{.Mountpoint}}' "${project}_operator"; }
# copy_keys DIRECTORY: lets the services read the operator's key files.
copy_keys() {
  local name
  for name in root.secret master.key push.key; do
    cmp -s "$1/keys/$name" "$DEPLOY_SECRETS/${name/./_}" ||
      secret "${name/./_}" 10001 <"$1/keys/$name" || return 1
  done
}
# The container in which `trackme keys` runs, and the process of podman-compose that runs it.
key_changer="${project}_operator_keys"
changing=
# Repeats the removal until podman-compose has ended, which may create the container only now.
remove_key_changer() {
  while true; do
    inside podman rm --force --ignore --time 0 "$key_changer" >/dev/null 9>&- || true
    if [ -z "$changing" ] || ! kill -0 "$changing" 2>/dev/null; then return 0; fi
    sleep 0.2
  done
}
# change_keys rotate master|root, or restore: changes the operator's key files in steps, which wait
# for the services to read each of them. A call that ends early removes the container. A killed call
# leaves it to the next one, which could not start another container with its address.
change_keys() {
  local status=0 directory
  directory="$(operator_state)" || return 1
  exec 9>"$state/keys.lock"
  flock --nonblock 9 || fail "the keys are being changed by another call"
  remove_key_changer
  trap remove_key_changer EXIT
  compose run --rm -T --name "$key_changer" operator trackme keys "$@" 9>&- &
  changing=$!
  while kill -0 "$changing" 2>/dev/null; do
    copy_keys "$directory" || { status=1; break; }
    sleep 0.2
  done
  [ "$status" = 0 ] || remove_key_changer
  wait "$changing" || status=$?
  changing=
  trap - EXIT
  copy_keys "$directory" || status=1
  exec 9>&- # otherwise containers that are started later would hold the lock
  return "$status"
}
# Whether the images have the code of this tree.
images_are_current() {
  local names
  names="$("$here/deploy/images/names")" || return 1
  # shellcheck disable=SC2086 # a list of words
  /usr/bin/python3 "$here/Tests/Bench/evidence.py" images $names
}
standby_streams() {
  podman exec "$(primary "$1")" psql -h /tmp -U postgres -Atc \
    "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'" | grep -q 1
}
