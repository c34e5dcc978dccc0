/** An error a client may see: an HTTP status, a stable code and a sentence. */
export class HttpError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
