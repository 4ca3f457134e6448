/**
 * A 64-bit ELF program of 139 bytes that calls `getpid` through the 32-bit entry (`int 0x80`) and then exits with 0: a
 * filter that knows only the native architecture kills it. x86-64 only.
 */
export function int80Program(): Buffer {
  const code = Buffer.from('b814000000cd80b83c00000031ff0f05', 'hex');
  const header = Buffer.alloc(120);
  const base = 0x400000n;
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0);
  header.writeUInt16LE(2, 16); // ET_EXEC
  header.writeUInt16LE(62, 18); // EM_X86_64
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(base + 120n, 24); // entry
  header.writeBigUInt64LE(64n, 32); // program headers
  header.writeUInt16LE(64, 52);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(1, 64); // PT_LOAD
  header.writeUInt32LE(5, 68); // read, execute
  header.writeBigUInt64LE(base, 80);
  header.writeBigUInt64LE(base, 88);
  header.writeBigUInt64LE(BigInt(120 + code.length), 96);
  header.writeBigUInt64LE(BigInt(120 + code.length), 104);
  header.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([header, code]);
}
