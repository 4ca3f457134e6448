/** A secret of the operator, and an upstream it would be sent to. */
export interface SecretNeed {
  readonly name: string;
  /** `host:port` */
  readonly authority: string;
  /** The secret is a vendor's by its name, and this is that vendor: no binding is needed where the operator made none. */
  readonly isVendors: boolean;
}
