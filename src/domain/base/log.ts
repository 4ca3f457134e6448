type Fields = Readonly<Record<string, unknown>>;

/** A structured log: fields first, like pino's. */
export interface Log {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}
