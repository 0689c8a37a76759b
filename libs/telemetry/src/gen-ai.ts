/** OpenTelemetry's GenAI names. They still move: nowhere else are they spelled out. */
export const GEN_AI = {
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  operation: 'gen_ai.operation.name',
  conversation: 'gen_ai.conversation.id',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
} as const;

/** Span names. */
export const genAiSpan = {
  chat: (model: string): string => `chat ${model}`,
  executeTool: (tool: string): string => `execute_tool ${tool}`,
  invokeAgent: 'invoke_agent',
} as const;
