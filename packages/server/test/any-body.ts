/** A body that a test looks into: a wrong guess at its shape fails the test, so that no type has to. */
// biome-ignore lint/suspicious/noExplicitAny: the only one, for bodies of every shape
export type AnyBody = any
