import type { EraseCustomer, ErasureReceipt, ExportCustomerQuery } from '../api-types.ts'
import { Group } from '../group.ts'
import type { RequestOptions } from '../send.ts'

/** What is stored about a customer. */
export class Customers extends Group {
  /** Erases everything that is stored about a customer. */
  erase(body: EraseCustomer, options?: RequestOptions): Promise<ErasureReceipt> {
    return this.sendPost('/erasure', body, options)
  }

  /** Returns everything that is stored about a customer as JSON Lines, in the body of the response. */
  export(query: ExportCustomerQuery, options?: RequestOptions): Promise<Response> {
    return this.openStream('/export', query, options)
  }
}
