/** The theme that an address asks for; undefined follows the system. */
export function chooseTheme(requested: unknown): 'light' | 'dark' | undefined {
  return requested === 'light' || requested === 'dark' ? requested : undefined
}
