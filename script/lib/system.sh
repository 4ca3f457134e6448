# shellcheck shell=bash
# What the machine itself must have: git, and what npm needs to compile better-sqlite3.

# command=package
SYSTEM_TOOLS=('git=git' 'make=make' 'g++=g++' 'python3=python3' 'curl=curl')

missing_system_packages() {
  local tool
  for tool in "${SYSTEM_TOOLS[@]}"; do
    have "${tool%%=*}" || echo "${tool#*=}"
  done
  [[ -s /etc/ssl/certs/ca-certificates.crt || -s /etc/ssl/cert.pem || -s /etc/pki/tls/cert.pem ]] || echo ca-certificates
}

system_present() { [[ -z $(missing_system_packages) ]]; }

system_bring() {
  local packages
  mapfile -t packages < <(missing_system_packages)
  apt_install "needed to install and compile the npm packages" "${packages[@]}"
}

bootstrap_system() { step "system tools" system_present system_bring; }
