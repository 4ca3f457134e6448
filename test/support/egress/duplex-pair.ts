import { Duplex } from 'node:stream';

/** Two streams in memory: what is written to one is read from the other. */
export function duplexPair(): readonly [Duplex, Duplex] {
  const near: Duplex = side(() => far);
  const far: Duplex = side(() => near);
  return [near, far];
}

function side(other: () => Duplex): Duplex {
  return new Duplex({
    read: () => undefined,
    write: (chunk, _, done) => {
      other().push(chunk);
      done();
    },
    final: (done) => {
      other().push(null);
      done();
    },
    destroy: (error, done) => {
      other().push(null);
      done(error);
    },
  });
}
