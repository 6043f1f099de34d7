import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Whether a Chromium is installed; `LINCHPIN_CHROMIUM` overrides its path. */
export function hasChromium(): boolean {
  return existsSync(findChromium())
}

/** Starts the Chromium of the machine without a window. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...CHROMIUM_ARGUMENTS] })
}

/** The headless shell first: a page in it takes half of the CPU time. */
const EXECUTABLES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** The path of the Chromium of the machine, whether or not it exists. */
export function findChromium(): string {
  return process.env.LINCHPIN_CHROMIUM ?? EXECUTABLES.find(existsSync) ?? '/usr/bin/chromium'
}

/**
 * Chromium applies only the last `--disable-features`: the relevant part of Playwright's own list, then what each new
 * window would load.
 */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'PreloadTopChromeWebUI',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
]

/** The arguments that every Chromium of the tests gets. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${DISABLED_FEATURES}`,
  // The shell does not measure the connection, and loads lazy images from further below than a browser on a fast one. It
  // has no mouse, so hover and a fine pointer are set as well.
  '--blink-settings=lazyLoadingImageMarginPxUnknown=1250,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
]
