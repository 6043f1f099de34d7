import type { ExampleBundles } from './build.ts'
import type { Route } from './provider/route.ts'

/** Serves the compiled integrations at `/bundles/acme-desk/index.js` and `/bundles/acme-books/index.js`. */
export function bundleRoutes(bundles: ExampleBundles): Route[] {
  return [
    bundleRoute('acme-desk', bundles.desk.code),
    bundleRoute('acme-books', bundles.books.code),
  ]
}

function bundleRoute(name: string, code: string): Route {
  return {
    method: 'GET',
    path: new RegExp(`^/bundles/${name}/index\\.js$`),
    handle: () => ({
      status: 200,
      headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
      body: code,
    }),
  }
}
