/** On whose behalf something runs or is sent. Fair shares, limits and circuit breakers count by it. */
export interface Tenant {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  /** The connect link through which a visitor caused it. */
  readonly linkId?: string | undefined
}
