# shellcheck shell=bash
# Temporal's time-skipping test server, with which a timer of half an hour passes in a second.
# It is Java: 39 jars, each with its SHA-256 in test-server.sha256.

TEST_SERVER_HOME=$CACHE/temporal-test-server-$TEST_SERVER_VERSION
TEST_SERVER_SUMS=$ROOT/script/lib/test-server.sha256

test_server_present() {
  [[ -f $TEST_SERVER_HOME/complete && $BIN/temporal-test-server -ef $TEST_SERVER_HOME/temporal-test-server ]] || return 1
  have java || return 1
  record TEMPORAL_TEST_SERVER_BIN "$BIN/temporal-test-server"
}

test_server_jars() {
  local dir=$1
  cat >"$dir/pom.xml" <<EOF
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bot-bottle</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>$TEST_SERVER_VERSION</version>
    </dependency>
  </dependencies>
</project>
EOF
  logged mvn mvn -q -B -f "$dir/pom.xml" \
    "org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY_PLUGIN_VERSION:copy-dependencies" \
    "-DoutputDirectory=$dir/lib"
}

test_server_bring() {
  local dir=$BUILD/test-server missing=()
  have java || missing+=(default-jre-headless)
  rm -rf "$dir"
  mkdir -p "$dir/lib"
  if [[ ! -f $TEST_SERVER_HOME/complete ]]; then
    have mvn || missing+=(maven)
  fi
  ((${#missing[@]} == 0)) || apt_install "the time-skipping test server is Java" "${missing[@]}"
  if [[ -f $TEST_SERVER_HOME/complete ]]; then
    cp "$TEST_SERVER_HOME"/lib/*.jar "$dir/lib/"
  else
    say "from Maven: io.temporal:temporal-test-server:$TEST_SERVER_VERSION and what it needs"
    test_server_jars "$dir" || die "Maven couldn't bring the test server"
  fi
  (cd "$dir/lib" && sha256sum --quiet --strict -c "$TEST_SERVER_SUMS") || die "a jar isn't what it should be"
  [[ $(find "$dir/lib" -name '*.jar' | wc -l) == $(wc -l <"$TEST_SERVER_SUMS") ]] || die "there are more jars than sums"
  rm -rf "$TEST_SERVER_HOME"
  mkdir -p "$TEST_SERVER_HOME"
  mv "$dir/lib" "$TEST_SERVER_HOME/lib"
  cat >"$TEST_SERVER_HOME/temporal-test-server" <<EOF
#!/bin/sh
# The port is the argument, as the SDK gives it.
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -cp '$TEST_SERVER_HOME/lib/*' \\
  io.temporal.testserver.TestServer "\$@"
EOF
  chmod 0755 "$TEST_SERVER_HOME/temporal-test-server"
  ln -sfn "$TEST_SERVER_HOME/temporal-test-server" "$BIN/temporal-test-server"
  touch "$TEST_SERVER_HOME/complete"
  rm -rf "$dir"
}

bootstrap_test_server() { step "temporal test server $TEST_SERVER_VERSION" test_server_present test_server_bring; }
