export { createLibsqlRecords, type LibsqlRecordsOptions } from "./libsql-records.js"
