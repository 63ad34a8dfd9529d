/** The gate's reads. */
export { listCurrencies } from '../../generated/api';
