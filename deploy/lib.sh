# Shared by deploy/up, down, test and bench: steps with their time, Debian's packages, Swift.
# shellcheck shell=bash
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# Debian's own interpreter: it sees Debian's python3-aiosmtpd.
PYTHON=/usr/bin/python3
# Tools mark their lines with more than ASCII.
export LC_ALL=C.UTF-8

BUILD_PACKAGES="pkg-config libevent-dev libc-ares-dev libargon2-dev libcurl4-openssl-dev libnats-dev
 zlib1g-dev libexpat1-dev libicu-dev libpq-dev libssl-dev libcrack2-dev libcbor-dev
 libgd-dev libqrencode-dev"
RUN_PACKAGES="nats-server postgresql cracklib-runtime openssl ca-certificates tzdata python3
 python3-aiosmtpd curl jq libpangocairo-1.0-0 libqrencode4 fonts-noto-core fonts-wqy-zenhei"

# Of the builder only: the client is static files where the suite runs.
WEB_PACKAGES="nodejs node-typescript esbuild node-react node-react-dom node-csstype node-prop-types
 libjs-leaflet fonts-inter-variable python3-fonttools python3-brotli librsvg2-bin"

# As the images are: where no call passes through the dynamic linker, a proxied request costs a
# tenth less.
release_build() { swift build -c release --static-swift-stdlib; }

# step NAME COMMAND…: runs it (without `set -e`: functions chain what must hold with &&) and prints its time; what it says is shown when it fails.
step() {
    local name=$1 begin=${EPOCHREALTIME/./} said
    shift
    said=$(mktemp)
    printf '  %s … ' "$name"
    if ! "$@" >"$said" 2>&1; then
        printf 'failed\n'
        tail -n 60 "$said"
        rm -f "$said"
        return 1
    fi
    rm -f "$said"
    local took=$(((${EPOCHREALTIME/./} - begin) / 100000))
    printf '%d.%d s\n' $((took / 10)) $((took % 10))
}

missing_packages() {
    local name
    for name in "$@"; do
        dpkg-query -W -f '${Status}\n' "$name" 2>/dev/null | grep -q '^install ok installed' ||
            printf '%s ' "$name"
    done
}

# Installs what is missing of the packages named; needs root or sudo only then.
install_packages() {
    local missing as=()
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "missing, and this is no Debian or Ubuntu: $missing(or use: docker compose up)"
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "as root: apt-get install $missing"
            return 1
        }
        as=(sudo)
    fi
    # shellcheck disable=SC2086  # a list of words
    "${as[@]}" apt-get update -q && "${as[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends $missing
}

require_swift() {
    command -v swift >/dev/null && return
    cat >&2 <<'TEXT'
Swift is missing. Either
  install 6.3 or newer with swiftly, see https://www.swift.org/install/linux/, and try again, or
  docker compose up, which builds and runs everything in containers.
TEXT
    exit 1
}
