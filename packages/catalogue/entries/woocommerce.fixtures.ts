import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://shop.example.com/wp-json/wc/v3/products?per_page=1',
  sends: 'Authorization: Basic ${consumer_key}:${consumer_secret}',
  good: [],
  bad: reply(401, {
    code: 'woocommerce_rest_authentication_error',
    message: 'Consumer key is invalid.',
    data: { status: 401 },
  }),
  insufficient: reply(401, {
    code: 'woocommerce_rest_authentication_error',
    message: 'The API key provided does not have read permissions.',
    data: { status: 401 },
  }),
})
