import { HttpError } from './errors.js';

/** A 401 with the header that it needs. */
class Refusal extends HttpError {
  constructor(code, message, headers) {
    super(401, code, message);
    this.headers = headers;
  }
}

/**
 * The answer to a request that is not let in. A forged token is not told apart from a malformed one.
 * @param {'missing' | 'malformed' | 'forged' | 'expired' | 'early'} reason
 */
export function refusal(reason) {
  const challenge = reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"';
  const headers = { 'www-authenticate': challenge };
  if (reason === 'expired') return new Refusal('token_expired', 'the token has expired', headers);
  return new Refusal('unauthenticated', 'send Authorization: Bearer <token>', headers);
}
