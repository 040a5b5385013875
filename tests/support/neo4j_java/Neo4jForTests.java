import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** A Neo4j Community server with Bolt alone. Arguments: home folder, configuration file, password of the user neo4j. */
class Neo4jForTests {
    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        boolean restarted = Files.exists(home.resolve("data"));
        DatabaseManagementService neo4j = new DatabaseManagementServiceBuilder(home)
                .loadPropertiesFromFile(Path.of(arguments[1])).build();
        Runtime.getRuntime().addShutdownHook(new Thread(neo4j::shutdown));
        if (!restarted) {  // the same password cannot be set twice
            neo4j.database("system").executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", arguments[2]));
        }
        Files.writeString(home.resolve("ready"), "ready");
        while (System.in.read() >= 0) { }  // end of file: the process that started this one has ended
        System.exit(0);
    }
}
