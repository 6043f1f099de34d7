/** An invalid command line. */
export class UsageError extends Error {}
