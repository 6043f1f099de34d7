/** The theme that an address asks for; undefined follows the system. */
export function chooseTheme(asked: unknown): 'light' | 'dark' | undefined {
  return asked === 'light' || asked === 'dark' ? asked : undefined
}
