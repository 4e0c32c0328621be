package io.tidemark.cli.local;

import io.tidemark.protocol.ProduceRequest.Acks;
import java.util.function.Function;
import picocli.CommandLine.ParameterException;

/** The option {@code --acks}, in our words and in Kafka's numbers. */
public final class AcksOption {
  private AcksOption() {}

  public static Acks parse(String text, Function<String, ParameterException> wrong) {
    return switch (text) {
      case "none", "0" -> Acks.NONE;
      case "leader", "1" -> Acks.LEADER;
      case "all" -> Acks.ALL;
      default -> throw wrong.apply("--acks " + text + "; allowed: none, leader, all, 0, 1");
    };
  }
}
