// What an import of `node:http` becomes in the program that esbuild makes. The real one loads all that the module has, and
// in Node 22 that is a WebSocket client, too: 30 ms and 5 MiB of each sidecar.
// esbuild's own beginning of each file has taken the plain name.
import { createRequire as requireOf } from 'node:module';

const http = requireOf(import.meta.url)('http');

export default http;
export const { createServer, request } = http;
