/** What is used of Trusted Types, which TypeScript's DOM library does not have yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(text: string, type: string, sink: string): string },
  ): void
}
// Turbo parses responses of this origin. Any other sink of HTML, such as innerHTML, stays closed.
;(globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('default', {
  createHTML(text, _type, sink) {
    if (sink !== 'DOMParser parseFromString') throw new TypeError(`${sink} is not used here`)
    return text
  },
})
