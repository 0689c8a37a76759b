/** A refusal in the form that OpenAI-compatible clients read. */
export interface ApiRefusal {
  status: number;
  message: string;
  type: string;
  code: string | null;
  param: string | null;
}

export const errorBody = (refusal: ApiRefusal): string =>
  JSON.stringify({
    error: { message: refusal.message, type: refusal.type, param: refusal.param, code: refusal.code },
  });

export const invalid = (message: string, param: string | null = null, code: string | null = null): ApiRefusal => ({
  status: 400,
  message,
  type: 'invalid_request_error',
  code,
  param,
});

export const tooLong = (bytes: number, limit: number): ApiRefusal =>
  invalid(
    `This model's maximum context length is ${limit} bytes. However, your messages resulted in ${bytes} bytes.`,
    'messages',
    'context_length_exceeded',
  );

export const wrongKey: ApiRefusal = {
  status: 401,
  message: 'Incorrect API key provided.',
  type: 'invalid_request_error',
  code: 'invalid_api_key',
  param: null,
};

export const unknownModel = (model: string): ApiRefusal => ({
  status: 404,
  message: `The model '${model}' does not exist here. There are practice-researcher and practice-bench.`,
  type: 'invalid_request_error',
  code: 'model_not_found',
  param: 'model',
});
