const BLOCK = 512;

/** A tar (POSIX ustar) of one file `Dockerfile`: all that a build is given. */
export function dockerfileContext(text: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  const field = (offset: number, value: string): void => {
    header.write(value, offset, 'latin1');
  };
  field(0, 'Dockerfile');
  field(100, '0000644\0');
  field(108, '0000000\0'); // uid
  field(116, '0000000\0'); // gid
  field(124, `${content.length.toString(8).padStart(11, '0')}\0`);
  field(136, '00000000000\0'); // mtime: the same Dockerfile is the same context
  field(148, ' '.repeat(8)); // the checksum counts itself as spaces
  field(156, '0');
  field(257, 'ustar\x0000');
  const sum = header.reduce((total, byte) => total + byte, 0);
  field(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * BLOCK)]);
}
