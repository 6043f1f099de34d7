import { type Browser, chromium } from 'playwright-core'

/** Starts the Chromium of the machine, quiet and without a window. */
export function startChromium(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  return chromium.launch({ executablePath: '/usr/bin/chromium', args })
}
