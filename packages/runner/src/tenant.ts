/**
 * The workspace, and optionally the definition and the link, for which a call or a request runs. Fair shares, limits
 * and circuit breakers are counted per tenant.
 */
export interface Tenant {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  /** The connect link, if a visitor of a link caused the call. */
  readonly linkId?: string | undefined
}
