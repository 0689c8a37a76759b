/** The innermost reason in words: a refused connection, a name that does not resolve, refused credentials. */
export function reasonOf(error: unknown): string {
  const { message, cause, errors } = error as { message?: unknown; cause?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0]);
  if (cause !== undefined) return reasonOf(cause);
  return typeof message === 'string' ? message : String(error);
}
