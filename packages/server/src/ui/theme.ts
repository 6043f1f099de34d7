/** The theme of the `theme` parameter; undefined follows the system. */
export function chooseTheme(requested: unknown): 'light' | 'dark' | undefined {
  return requested === 'light' || requested === 'dark' ? requested : undefined
}
