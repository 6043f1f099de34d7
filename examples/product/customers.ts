/** A customer of the product. Its `id` is the `accountIdentifier` of its accounts in Linchpin. */
export interface Customer {
  readonly id: string
  readonly name: string
}

/** Two customers who sign in without a password: this is a demo. */
export const CUSTOMERS: readonly Customer[] = [
  { id: 'customer-1', name: 'North Books' },
  { id: 'customer-2', name: 'South Café' },
]
