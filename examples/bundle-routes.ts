import type { ExampleBundles } from './build.ts'
import type { Route } from './provider/route.ts'

/** Serves the compiled integrations at `/bundles/acme-desk/index.js` and `/bundles/acme-books/index.js`. */
export function createBundleRoutes(bundles: ExampleBundles): Route[] {
  return [
    createBundleRoute('acme-desk', bundles.desk.code),
    createBundleRoute('acme-books', bundles.books.code),
  ]
}

function createBundleRoute(name: string, code: string): Route {
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
