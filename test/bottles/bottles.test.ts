import assert from 'node:assert/strict';
import type { RegistryKind } from '../../src/domain/egress/route.js';
import { RegistryBottle } from '../support/bottles/registry-bottle.js';

/** What an agent does with a dependency: resolve, download, use, and see that nothing else is reached. */
const EXAMPLES: readonly (readonly [name: string, kind: RegistryKind, script: string])[] = [
  [
    'node',
    'npm',
    `npm init -y >/dev/null
     npm install is-odd@3.0.1 @types/estree@1.0.5
     node -e 'if (!require("is-odd")(3)) process.exit(1)'
     ! grep 127.0.0.1 package-lock.json
     npm ci`,
  ],
  [
    'python',
    'pypi',
    `python3 -m venv .venv
     .venv/bin/pip install six==1.16.0
     .venv/bin/python -c 'import six; assert six.__version__ == "1.16.0"'`,
  ],
  [
    'go',
    'go',
    `go mod init example.test/hello
     printf 'package main\\nimport ("fmt"; "rsc.io/quote")\\nfunc main() { fmt.Println(quote.Go()) }\\n' >main.go
     go get rsc.io/quote@v1.5.2
     go run . | grep communicate
     grep -c . go.sum`,
  ],
  [
    'rust',
    'cargo',
    `cargo init --name hello --vcs none
     cargo add itoa@1.0.11
     printf 'fn main() { println!("{}", itoa::Buffer::new().format(42u8)); }\\n' >src/main.rs
     cargo run | grep 42
     ! grep 127.0.0.1 Cargo.lock`,
  ],
  [
    'java',
    'maven',
    `mkdir -p src/main/java
     printf 'class A { String s = org.apache.commons.lang3.StringUtils.upperCase("a"); }\\n' >src/main/java/A.java
     cat >pom.xml <<'X'
<project><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>t</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties>
<dependencies><dependency><groupId>org.apache.commons</groupId><artifactId>commons-lang3</artifactId><version>3.12.0</version></dependency></dependencies>
</project>
X
     mvn -q -B compile
     test -f target/classes/A.class`,
  ],
];

describe('the example bottles', function () {
  this.timeout(20 * 60_000);
  for (const [name, kind, script] of EXAMPLES) {
    it(`${name}: builds, and installs and uses a dependency through its registry alone`, async () => {
      const bottle = new RegistryBottle(name, kind);
      const id = await bottle.build();
      const addresses = await bottle.addresses(id);
      const end = await bottle.run(id, addresses, script);
      assert.equal(end.exitCode, 0, end.output);
      assert.deepEqual(await bottle.runtime.list(bottle.slug), []);
    });
  }
});
