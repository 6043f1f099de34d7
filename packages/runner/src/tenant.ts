/** The party that something runs for. Fair shares, limits and circuit breakers are counted per tenant. */
export interface Tenant {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  /** The connect link of the visitor who caused it. */
  readonly linkId?: string | undefined
}
