/** What the gate reads. */
export { listCurrencies } from '../../generated/api';
