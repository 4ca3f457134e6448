/** What takes traces in the place of an OpenTelemetry collector: OTLP over HTTP, as JSON. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

export interface ToldSpan extends Span {
  /** Of the process that told it. */
  readonly service: unknown;
}

export class Collector {
  readonly spans: ToldSpan[] = [];
  /** Everything that was sent, as it was sent. */
  sent = '';
  headers: IncomingHttpHeaders = {};

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        collector.headers = request.headers;
        collector.take(body);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  named(name: string): ToldSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** The names from the span up to the beginning of its trace, as far as they were told. */
  wayOf(span: ToldSpan): string[] {
    const parent = this.spans.find(
      ({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId,
    );
    return [span.name, ...(parent === undefined ? [] : this.wayOf(parent))];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(body: string): void {
    this.sent += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
      const service = attributeOf(resource.attributes, 'service.name');
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, service })));
    }
  }
}

export function attributeOf(attributes: Span['attributes'], name: string): unknown {
  const { value = {} } = attributes.find(({ key }) => key === name) ?? {};
  return value['stringValue'] ?? value['intValue'];
}
