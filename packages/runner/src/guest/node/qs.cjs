// Node's url uses querystring where the package uses qs.
const querystring = require('querystring-es3')

module.exports = {
  parse: (text) => querystring.parse(text),
  stringify: (values) => querystring.stringify(values),
}
