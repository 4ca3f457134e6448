/** A secret of the operator, and an upstream it would be sent to. */
export interface SecretNeed {
  readonly name: string;
  /** `host:port` */
  readonly authority: string;
  /** Of the route that is made to the vendor whose secret it is by its name: it needs no binding where the operator made none. */
  readonly isVendors: boolean;
}
