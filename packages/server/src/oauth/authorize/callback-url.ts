/** Where providers send people back to. Every OAuth app registers it. */
export function callbackUrl(baseUrl: string): string {
  return `${baseUrl}/api/v1/oauth/callback`
}
