/** A response body. Untyped, because a wrong assumption about its shape fails the test anyway. */
// biome-ignore lint/suspicious/noExplicitAny: the only exception, for bodies of any shape
export type AnyBody = any
