import type { EraseCustomer, ErasureReceipt, ExportCustomerQuery } from '../api-types.js';
import { Group } from '../group.js';
import type { RequestOptions } from '../send.js';
/** What is stored about a customer. */
export declare class Customers extends Group {
    /** Erases everything that is stored about a customer. */
    erase(body: EraseCustomer, options?: RequestOptions): Promise<ErasureReceipt>;
    /** Returns everything that is stored about a customer as JSON Lines, in the body of the response. */
    export(query: ExportCustomerQuery, options?: RequestOptions): Promise<Response>;
}
