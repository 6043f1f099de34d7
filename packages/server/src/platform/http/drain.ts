/** Whether the service is about to stop. */
export interface DrainState {
  isDraining: boolean
}

/** The requests that have no complete response yet. */
export type RequestsInProgress = ReadonlySet<RequestInProgress>

/** A request of the framework, or one that it does not see. */
export interface RequestInProgress {
  readonly method: string
  readonly routeOptions: { readonly url?: string | undefined }
}

/** The methods and route templates of requests, at most 20 of them, for the log. They contain no IDs. */
export function describeRequests(requests: RequestsInProgress): string[] {
  return [...requests]
    .slice(0, 20)
    .map(({ method, routeOptions }) => `${method} ${routeOptions.url ?? 'unknown'}`)
}
